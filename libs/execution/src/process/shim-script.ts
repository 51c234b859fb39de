/**
 * The program between an agent and what it runs: POSIX `sh`, given to `/bin/sh -c`, so that no file has to be
 * installed and an upgrade can't change a script under a running shim.
 *
 * Arguments: work directory, standard input file, program, arguments. Descriptor 3 is the `go` pipe, standard output
 * the announcement of the waiting child's pid. The shim is the leader of a new session and process group.
 *
 * Files that it leaves in the work directory:
 * - `pids`, by rename: `{"shim":n,"child":n}`; the child's pid stays the program's, because it execs.
 * - `went`: the `go` byte arrived.
 * - `unstartable`: the program could not be executed (not every shell notices a missing interpreter).
 * - `output`: standard output and standard error of the program, appended.
 * - `exit`, by rename: `{"status":n}` (128 + signal number when a signal ended it), or `{"never":true}`. Whether `go` arrived
 *   the shim has from the child through a pipe, not from `went`: a program can remove a file, and would then be said
 *   never to have run.
 *
 * The child runs in the foreground, not as a background job: a POSIX shell makes background jobs ignore SIGINT, and
 * the program would inherit that. The traps do nothing, on purpose: the shim outlives the signals that the group gets, and
 * a trap with an action, unlike an ignored signal, is back at its default in the child. Variables carry a prefix because
 * assigning to one that came with the environment would change it for the program; PATH is put back for the same reason.
 */
export const SHIM_SCRIPT = `# holdfast-shim
hf_shim_work=$1
hf_shim_input=$2
shift 2
hf_shim_path=$PATH
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
hf_shim_publish() {
  printf '%s\\n' "$2" >"$hf_shim_work/$1.new" && mv -f "$hf_shim_work/$1.new" "$hf_shim_work/$1"
}
trap : HUP INT QUIT TERM USR1 USR2 PIPE
exec 4>&1
hf_shim_went=$(
  read -r hf_shim_pid hf_shim_rest </proc/self/stat || exit 125
  hf_shim_publish pids "{\\"shim\\":$$,\\"child\\":$hf_shim_pid}" || exit 125
  printf '%s\\n' "$hf_shim_pid" >&4 || exit 125
  exec 4>&-
  read -r hf_shim_go <&3 || exit 125
  : >"$hf_shim_work/went" && printf went || exit 125
  PATH=$hf_shim_path
  trap ': >"$hf_shim_work/unstartable"' EXIT
  exec "$@" <"$hf_shim_input" >>"$hf_shim_work/output" 2>&1 3<&-
)
hf_shim_status=$?
if [ "$hf_shim_went" = went ]; then
  hf_shim_publish exit "{\\"status\\":$hf_shim_status}"
else
  hf_shim_publish exit '{"never":true}'
fi
`;
