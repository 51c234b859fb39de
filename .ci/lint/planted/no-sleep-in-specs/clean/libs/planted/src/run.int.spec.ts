declare const waitUntil: (condition: () => boolean) => Promise<void>;
const REPLY_MAX_MS = 100;

export const first = async (isThere: () => boolean) => {
  await waitUntil(isThere);
  await new Promise((_resolve, reject) => setTimeout(() => reject(new Error('no reply')), REPLY_MAX_MS));
};
