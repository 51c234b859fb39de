export const isConflict = (error: Error) => {
  if (error.message.includes('wrong last sequence')) return true; // refused
  if (/wrong last/.test(error.message)) return true; // refused
  if (/wrong last/.test(String(error))) return true; // refused
  switch (error.message) { // refused
    case 'conflict':
      return true;
  }
  return error.message === 'wrong'; // refused
};
export const isTimeout = (error?: Error) => error?.message.startsWith('timeout'); // refused
