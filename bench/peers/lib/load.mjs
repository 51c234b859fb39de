/**
 * A package of this folder, or a module by its URL. By a name that no tool reads: they are there only once this command
 * has installed and built them, and what checks the project must not need them.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
export const load = async (name) => import(name);
