export const start = () => {
  console.log('started');
};
