export const start = (work: () => Promise<void>) => {
  work(); // refused
};
