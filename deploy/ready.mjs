/** Ends with 0 when the address answers that all is well: the health check of a container, without a shell or curl in it. */
const { ok } = await fetch(process.argv[2] ?? '');
process.exit(ok ? 0 : 1);
