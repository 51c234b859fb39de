import { setTimeout as rest } from 'node:timers/promises'; // refused

const sleep = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs)); // refused
const PAUSE_MS = 100;
export const first = async () => {
  await sleep(PAUSE_MS); // refused
  await rest(PAUSE_MS);
  await new Promise((resolve) => setTimeout(() => resolve(1), PAUSE_MS)); // refused
};
