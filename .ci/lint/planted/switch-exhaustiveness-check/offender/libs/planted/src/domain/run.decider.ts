type Status = 'queued' | 'running' | 'unknown';

export const missing = (status: Status) => {
  switch (status) { // refused
    case 'queued':
      return 1;
    case 'running':
      return 2;
  }
  return 0;
};
export const defaulted = (status: Status) => {
  switch (status) { // refused
    case 'queued':
      return 1;
    default:
      return 2;
  }
};
export const overfull = (status: Status) => {
  switch (status) {
    case 'queued':
      return 1;
    case 'running':
      return 2;
    case 'unknown':
      return 3;
    default: // refused
      return 4;
  }
};
