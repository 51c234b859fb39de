export const start = (work: () => void) => {
  try {
    work();
  } catch (error) {
    throw new Error('the work failed', { cause: error });
  }
};
