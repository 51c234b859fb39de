const run = 1;
export { run as default }; // refused
