export const decide = (events: readonly string[]) => events.map((event) => event.length);
