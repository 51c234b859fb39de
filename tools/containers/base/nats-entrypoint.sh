#!/bin/sh
# As the official image has it: options alone are nats-server's.
if [ "${1#-}" != "$1" ]; then set -- nats-server "$@"; fi
exec "$@"
