#!/bin/sh
# A single-attempt agent for proofs with many runs: notes that it was started, works for so many seconds, notes its end.
# Each note is one small append, which the kernel keeps whole.
#
#   ledger-agent.sh LEDGER SECONDS
printf '{"kind":"initial","work":"%s","pid":%d}\n' "$HOLDFAST_WORK" "$$" >>"$1"
sleep "$2"
printf '{"kind":"end","work":"%s","pid":%d}\n' "$HOLDFAST_WORK" "$$" >>"$1"
echo done
