/** A spec may look at what a person reads. */
export const saysWhy = (error: Error) => error.message.includes('it may have been written');
