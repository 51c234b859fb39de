export const getRun = (store: { load(id: string): unknown }) => store.load('run');
