export const getRun = (store: { append(event: object): unknown }) => store.append({ seen: true }); // refused
