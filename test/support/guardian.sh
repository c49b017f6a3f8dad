# Kills what a test process leaves behind, however that process ends: `guardian.sh DIR` reads "add PID" and
# "drop PID" lines; when its input ends (also by SIGKILL of the writer) it kills the rest and removes DIR.
# A Ctrl-C reaches the whole process group, so signals are ignored: only the end of the input counts.
trap '' HUP INT TERM
echo ready
pids=' '
while read -r verb pid; do
  case $verb in
    add) pids="$pids$pid " ;;
    drop)
      case $pids in
        *" $pid "*) pids="${pids%% $pid *} ${pids#* $pid }" ;;
      esac
      ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
rm -rf "$1"
