export const workspaceOf = (given: { readonly process: { readonly pid: number } }) =>
  given.process.pid;
