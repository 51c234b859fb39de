export const row = { updatedAt: Date.now() }; // refused
