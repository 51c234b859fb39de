const run = 1;
export default run; // refused
