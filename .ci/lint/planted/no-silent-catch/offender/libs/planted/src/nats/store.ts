export const close = async (connection: { close(): Promise<void> }) => {
  try {
    await connection.close();
  } catch {} // refused
  try {
    await connection.close();
  } catch { // refused
    // Best effort.
  }
  await connection.close().catch(() => {}); // refused
  await connection.close().catch(() => undefined); // refused
  await connection.close().catch(() => null); // refused
};
