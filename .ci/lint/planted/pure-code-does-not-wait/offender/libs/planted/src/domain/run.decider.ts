export const decide = async () => { // refused
  await Promise.resolve(); // refused
};
export const later = new Promise<void>((resolve) => { // refused
  resolve();
});
