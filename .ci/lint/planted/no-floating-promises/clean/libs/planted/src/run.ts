export const start = async (work: () => Promise<void>) => {
  await work();
};
