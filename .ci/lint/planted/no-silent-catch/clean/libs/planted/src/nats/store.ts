export const names = async (list: () => Promise<string[]>, report: (error: unknown) => void) => {
  try {
    return await list();
  } catch (error) {
    report(error);
    return await list().catch(() => [] as string[]);
  }
};
