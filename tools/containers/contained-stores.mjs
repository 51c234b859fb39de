/** Starts the stores of a local stack in containers, twice, and sees that the broker has kept its streams. */
import { connectLink, assertTopology } from '#nats';
import { startLocalStack } from '#local-stack';
import { Database } from '#postgres';

const [home = ''] = process.argv.slice(2);
/** @type {readonly ('create' | 'check')[]} */
const modes = ['create', 'check'];
for (const mode of modes) {
  const stack = await startLocalStack({ home, services: 'none', stores: 'containers' });
  try {
    const link = await connectLink({ url: stack.natsUrlFor('commands'), name: 'check' });
    await assertTopology(link, { mode, replicas: 1, declaredSync: 'always' });
    await link.close();
    const { databaseUrl: url } = stack;
    const database = await Database.open({ url, applicationName: 'check', entities: [] });
    await database.close();
  } finally {
    await stack.stop();
  }
}
process.stdout.write('the streams were kept\n');
