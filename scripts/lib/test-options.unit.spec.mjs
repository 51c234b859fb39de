import { describe, expect, it } from '@jest/globals';
import { PHASES, parseTestOptions } from './test-options.mjs';

describe('the options of npm test', () => {
  it('run everything when there are none', () => {
    expect(parseTestOptions([])).toEqual({
      phases: PHASES,
      filter: undefined,
      paths: [],
      partial: false,
      help: false,
    });
  });

  it('keep the order of the phases, whatever the order of the options', () => {
    expect(parseTestOptions(['--only', 'int', '--only', 'lint']).phases).toEqual(['lint', 'int']);
  });

  it('build before end-to-end tests', () => {
    expect(parseTestOptions(['--only', 'e2e']).phases).toEqual(['build', 'e2e']);
    expect(parseTestOptions(['--only', 'browser']).phases).toEqual(['build', 'browser']);
  });

  it.each(['matrix', 'spawn-rules'])('make no %s from a part of the tests', (phase) => {
    expect(parseTestOptions([]).phases).toContain(phase);
    expect(parseTestOptions(['--filter', '@FM-03']).phases).not.toContain(phase);
    expect(parseTestOptions(['libs/runs']).phases).not.toContain(phase);
  });

  it('take what is left as paths', () => {
    const { paths, partial } = parseTestOptions(['--only', 'unit', 'libs/runs']);
    expect({ paths, partial }).toEqual({ paths: ['libs/runs'], partial: true });
  });

  it('refuse a phase and an option that do not exist', () => {
    expect(() => parseTestOptions(['--only', 'units'])).toThrow('no phase is called "units"');
    expect(() => parseTestOptions(['--fast'])).toThrow('--fast');
  });
});
