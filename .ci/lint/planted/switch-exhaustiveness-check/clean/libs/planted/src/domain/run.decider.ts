type Status = 'queued' | 'running' | 'unknown';

export const order = (status: Status) => {
  switch (status) {
    case 'queued':
      return 1;
    case 'running':
    case 'unknown':
      return 2;
  }
};
