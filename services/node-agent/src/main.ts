import { runNodeAgent } from './run-node-agent.js';

await runNodeAgent(process.env);
