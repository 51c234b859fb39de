/** A tool reads this one. */
export default {};
