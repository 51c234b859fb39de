export const submit = (store: { append(event: object): unknown }) => store.append({});
