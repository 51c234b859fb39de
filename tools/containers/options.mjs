import { parseArgs } from 'node:util';

export const HELP = `npm run containers:check [-- options]

Builds the image of deploy/Dockerfile, runs docker-compose.yml from it, submits a run, kills a container and sees it come
back, and runs a local stack with HOLDFAST_STORES=containers. Uses a container engine of its own, in a folder of its own,
and leaves nothing behind. Takes 5 to 20 minutes, most of it downloads. It is no part of npm test.

Needs Debian 12, root, the npm registry, Debian's packages, and these of them:
  apt-get install --no-install-recommends podman runc mmdebstrap catatonit \\
    dnsmasq-base golang-github-containernetworking-plugin-dnsname

No registry of images is needed: node:22-bookworm-slim, nats:2.15-alpine and postgres:18 are stood in for by images that
are made here from Debian's and npm's packages (see tools/containers/base). What that leaves unproven: docs/containers.md.

  --folder PATH    where images and state go (default: /var/tmp/holdfast-containers)
  --keep           leave the folder, so that the next check need not make the images again
  --rebuild        build the image of Holdfast, even if the folder has one
  --help           show this
`;

/**
 * @param {readonly string[]} argv without the program's name.
 * @throws {Error} in plain words: an option that does not exist.
 */
export const parseOptions = (argv) => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      folder: { type: 'string', default: '/var/tmp/holdfast-containers' },
      keep: { type: 'boolean', default: false },
      rebuild: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
};
