/**
 * The guard as a script for any POSIX shell (dash, busybox, bash): `sh -c <script> <name> <run>`.
 *
 * It reads `+ <pgid> <start>` and `- <pgid> <start>`; `.` means a clean shutdown. If its stdin ends without `.`, we
 * have died, and the guard ends the processes that we left. It first waits, because their stdin has ended too, then
 * sends TERM, then KILL. On Linux it finds the same processes as we do (see process-tree-linux.ts), elsewhere only the
 * groups.
 *
 * Notes for maintainers: dash accepts `kill -s KILL -- -N` but not `kill -KILL -N`. grep selects the files of /proc in
 * one process, because the shell reads them byte by byte. In `stat`, the name of a process may contain anything, so the
 * patterns match the numbers up to the end of the line. `start` is field 22, the 20th after the name. The mark is
 * matched with `-E` instead of `-F`, because with `-F` the grep of busybox stops at the first NUL.
 */
export const guardScript = `
trap '' HUP INT QUIT TERM
run=$1
groups= known= owned=

while read -r word pgid start; do
  case $word in
    +) groups="$groups $pgid:$start" ;;
    -) all=$groups
       groups=
       for group in $all; do
         [ "$group" = "$pgid:$start" ] || groups="$groups $group"
       done ;;
    .) exit 0 ;;
  esac
done

# Sets start to the start time of process $1; empty when it is dead or a zombie.
look() {
  start= line=
  { while read -r next; do line=$next; done <"/proc/$1/stat"; } 2>/dev/null
  set -- \${line##*) }
  case $1 in ''|Z|X|x) ;; *) start=\${20} ;; esac
}

# Adds the processes of these files of /proc to known.
add() {
  for file do
    pid=\${file#/proc/}
    pid=\${pid%%/*}
    look "$pid"
    case "$start/ $known " in
      /*|*" $pid:$start "*) ;;
      *) known="$known $pid:$start" grew=1 ;;
    esac
  done
}

# Sets owned to the groups whose number is still ours, known to everybody who is alive.
census() {
  owned=
  for group in $groups; do
    look "\${group%:*}"
    case $start in ''|"\${group#*:}") owned="$owned|\${group%:*}" ;; esac
  done
  owned=\${owned#|}
  all=$known
  known=
  for one in $all; do
    look "\${one%:*}"
    [ "$start" != "\${one#*:}" ] || known="$known $one"
  done
  grew=1
  add $(grep -lsE "$run/" /proc/[0-9]*/environ)
  [ -z "$owned" ] || add $(grep -lsE "[)] [^ZXx] [0-9]+ ([0-9]+ )?($owned) [-0-9 ]+$" /proc/[0-9]*/stat)
  while [ -n "$known" ] && [ "$grew" = 1 ]; do
    grew=0 parents=
    for one in $known; do parents="$parents|\${one%:*}"; done
    add $(grep -lsE "[)] [^ZXx] (\${parents#|}) [-0-9 ]+$" /proc/[0-9]*/stat)
  done
}

anybody() {
  census
  [ -z "$known" ] || return 0
  [ ! -r /proc/self/stat ] || return 1
  for group in $groups; do
    kill -s 0 -- "-\${group%:*}" && return 0
  done
  return 1
}

signal() {
  IFS='| '
  for group in $owned; do kill -s "$1" -- "-$group"; done
  unset IFS
  for one in $known; do
    look "\${one%:*}"
    [ "$start" != "\${one#*:}" ] || kill -s "$1" "\${one%:*}"
  done
}

# Waits up to $1 tenths of a second; two empty looks mean that all are gone. $2 is sent again before each look.
wait_for_all() {
  left=$1
  while [ "$left" -gt 0 ]; do
    left=$((left - 1))
    [ -z "$2" ] || signal "$2"
    anybody || anybody || exit 0
    sleep 0.1 || sleep 1
  done
}

exec 2>/dev/null
wait_for_all 5
signal TERM
wait_for_all 10
wait_for_all 30 KILL
exit 1
`;
