export const isConflict = (error: { readonly code: number; readonly message: string }) =>
  error.code === 10071 || error.code === 10164;
export const shown = (error: Error) => `append failed: ${error.message}`;
export const isSecret = (text: string) => text.includes('Bearer');
