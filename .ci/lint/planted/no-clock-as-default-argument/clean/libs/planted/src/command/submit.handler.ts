export const submit = (now: number, retries = 3, epoch = new Date(0)) => now + retries + +epoch;
