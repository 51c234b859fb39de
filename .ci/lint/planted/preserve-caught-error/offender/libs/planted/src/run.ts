export const start = (work: () => void, report: (error: unknown) => void) => {
  try {
    work();
  } catch (error) {
    report(error);
    throw new Error('the work failed'); // refused
  }
};
