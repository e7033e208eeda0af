package scaffold

import "strings"

// wordClass is what a word says of the command that it names.
type wordClass uint8

const (
	wordUnknown wordClass = iota
	wordRead
	wordThing // reads alone (status, log), a thing beside other words
	wordNoun  // a thing as often as a verb (tag, release): the description decides
	wordWrite
	wordDestroy
	wordExec
	wordGroup // says nothing alone (run, test): the description decides, else exec or write
)

// lexicon knows the words of commands. It is built once per Classify: a table
// at start-up would cost every call of every shim.
type lexicon struct {
	leaf map[string]wordClass // a command's own words
	desc map[string]wordClass // the first verb of a description
}

func newLexicon() *lexicon {
	l := &lexicon{leaf: map[string]wordClass{}, desc: map[string]wordClass{}}
	for _, set := range []struct {
		words string
		class wordClass
	}{
		{readWords, wordRead}, {readThings, wordThing}, {nounWords, wordNoun}, {writeWords, wordWrite},
		{destroyWords, wordDestroy}, {execWords, wordExec}, {groupWords, wordGroup},
	} {
		for w := range strings.FieldsSeq(set.words) {
			l.leaf[w] = set.class
		}
	}
	for w, class := range l.leaf {
		switch class {
		case wordNoun, wordThing:
		default:
			l.desc[w] = class
		}
	}
	for w := range strings.FieldsSeq(nounVerbs) {
		l.desc[w] = wordWrite
	}
	for w := range strings.FieldsSeq(descWrite) {
		l.desc[w] = wordWrite
	}
	for w := range strings.FieldsSeq(readNouns) { // "Status of …" reads; "status" as a verb is none
		l.desc[w] = wordRead
	}
	for w := range strings.FieldsSeq(descRead) {
		l.desc[w] = wordRead
	}
	for w := range strings.FieldsSeq(descUnknown) {
		delete(l.desc, w)
	}
	return l
}

const readWords = `
list ls ll lst view show print display echo cat
describe desc explain inspect introspect examine
search find locate lookup look query grep rg
count diff compare cmp check verify validate lint vet audit assert
get read peek is has can exists isset contains includes
why what which whereis whatprovides whoami whois
measure summarize summarise identify classify diagnose
`

// readThings are read where they stand alone; beside a word that we do not know
// ("env-frob", "roll-log") they are things.
const readThings = `
dir less more head tail
detail details info information stat stats statistic statistics
status state health healthcheck healthz ping doctor diagnostics
version versions about who id where
log logs journal history reflog shortlog changelog blame
delta outdated wc len length size du df usage
tree graph topology deps dependencies depends rdepends dependents rdeps parents children ancestors
ps top processes procs threads
help man manual estimate predict forecast
metadata meta env environ environment printenv
checksum digest fingerprint hash analysis summary overview
basename dirname realpath readlink pwd cwd
available installed upgradable recommendations
licenses license funding fund credits uptime agenda calendar similar traceroute
`

const nounWords = `
tag label release image archive snapshot branch backup comment review mount link package patch change
event export dump report scan monitor watch follow stream profile token secret key password credential
note notes plugin config cfg conf configuration setting preference preferences
remote stash worktree bookmark alias hook cache session context contexts
schedule trigger template theme completion completions autocomplete
table bench benchmark debug output input open
certificate account user group role member project service node pod container volume network database index
record entry item file rule policy domain zone region
plan manifest schema spec analyze analyse select filter match matches browse resolve trace preview simulate
events metrics alerts reports traces spans quotas quota limits costs jobs
images containers volumes networks nodes pods services snapshots archives backups repos repositories
branches tags labels releases issues packages formulae casks leaves
users groups roles members accounts tenants teams orgs organizations projects regions zones locations
providers plugins modules addons extensions features capabilities options settings
files entries items keys values records rows tables databases dbs schemas indexes indices collections columns
policies rules domains certs certificates secrets apps applications devices hosts instances clusters
revisions commits refs remotes worktrees heads updates candidates objects resources types commands
`

// nounVerbs are the noun words that, first in a description, are a write.
const nounVerbs = `
tag label release archive snapshot branch backup comment review mount link package patch change
export stash bookmark alias cache schedule trigger open profile
`

const writeWords = `
add append prepend insert create new make mk mkdir touch init initialize initialise setup set put post
write save store update upgrade up upsert modify mod alter edit amend adjust tweak tune
install reinstall preinstall download dl fetch pull clone fork checkout switch co
push commit ci merge rebase squash apply stage unstage track untrack
enable disable activate deactivate on off toggle start stop restart reload refresh renew resume suspend pause unpause
hold unhold freeze thaw lock unlock pin unpin mask unmask block unblock ban unban allow deny
attach detach connect disconnect bind unbind link unlink mount umount unmount join leave
move mv rename ren copy cp replicate mirror sync synchronize synchronise transfer send receive recv
upload import load restore recover repair fix autofix heal rewrite replace substitute sed
build rebuild compile recompile assemble bundle pack unpack zip unzip compress decompress extract expand inflate deflate
format fmt prettify beautify minify optimize optimise convert transcode transform translate render generate gen regenerate
deploy redeploy undeploy publish promote demote rollback revert undo redo rollout
bump migrate seed bootstrap scaffold configure reconfigure provision deprovision
register unregister deregister subscribe unsubscribe invite accept reject approve disapprove dismiss assign unassign
grant ungrant share unshare delegate authorize authorise login logout signin signout auth authenticate
annotate reply close reopen submit request cancel abort retry rerun requeue enqueue dequeue
scale resize grow shrink extend reserve allocate claim acquire
rotate rekey encrypt decrypt sign unsign seal unseal
taint untaint cordon uncordon drain expose
rebalance reindex reencode refactor vacuum compact defrag defragment balance
serve server listen dev develop daemon daemonize launch dispatch invoke call emit notify
queue
chmod chown chgrp setfacl ln dd tee
reset define unset unalias unfreeze adopt eject inject embed vendor tidy
isolate preset reenable
yank unyank use prefer nice renice tweet chat ask prompt
work converge reconcile hibernate reboot halt poweroff shutdown kexec sleep wake
record capture
remap reassign reorder shuffle
fsfreeze trim fstrim tick
onboard offboard enroll unenroll
swap exchange trade buy sell pay order charge refund withdraw deposit
`

const destroyWords = `
unpublish delete del remove rm rmdir rmi erase destroy drop purge prune wipe shred nuke obliterate annihilate
uninstall deinstall undefine autoremove autoclean clean cleanup clear flush truncate empty discard expunge
kill killall terminate revoke expire forget gc evict zap trash teardown
mkfs wipefs blkdiscard
`

const execWords = `
exec execute shell sh bash zsh fish repl console eval evaluate ssh rsh telnet dlx npx spawn enter chroot nsenter
runcommand interpreter script
`

// groupWords run something: what, the description tells.
const groupWords = `run test tests attach bisect x do perform play`

// readNouns open descriptions that say what is shown.
const readNouns = `information info details status list overview summary statistics stats history version contents`

// descRead are verbs that read in a description, whatever they do as a
// command's name ("docker logs: Fetch the logs", "git fetch").
const descRead = `
plan manifest schema spec analyze analyse select filter match resolve preview simulate trace fetch get retrieve return output report tell give provide read query
scan explore walk enumerate reveal highlight calculate compute determine detect estimate discover tabulate visualize visualise
browse monitor watch follow tail page lookup check see learn
`

// descWrite are verbs that may do anything.
const descWrite = `manage control administer administrate handle operate interact customize customise work replay wrap`

// descUnknown are words that open a description and say nothing of it.
const descUnknown = `
use using up on off call order do perform sh ask help id meta
log size state free top usage head env environment which where what why who is has can
record script
`
