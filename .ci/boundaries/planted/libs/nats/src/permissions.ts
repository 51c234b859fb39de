export const permissions = ['hf.ev.>'];
