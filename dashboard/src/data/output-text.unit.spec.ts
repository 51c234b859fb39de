import { describe, expect, it } from '@jest/globals';
import { OutputText, SHOWN_MAX, readable } from './output-text.js';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the output of a run', () => {
  it('is put together from its pieces, also where one ends inside a character', () => {
    const output = new OutputText();
    const bytes = encode('Größe: 5 €\n');
    for (let offset = 0; offset < bytes.length; offset += 1)
      output.add({ generation: 1, offset, bytes: bytes.subarray(offset, offset + 1) });
    expect(output.shown()).toBe('Größe: 5 €\n');
    expect(output.bytes).toBe(bytes.length);
  });

  it('says where bytes are missing', () => {
    const output = new OutputText();
    output.add({ generation: 1, offset: 0, bytes: encode('begin') });
    output.add({ generation: 1, offset: 105, bytes: encode('end') });
    expect(output.shown()).toBe('begin\n── 100 bytes are missing here ──\nend');
  });

  it('says where another attempt begins', () => {
    const output = new OutputText();
    output.add({ generation: 1, offset: 0, bytes: encode('first\n') });
    output.add({ generation: 2, offset: 0, bytes: encode('second\n') });
    expect(output.shown()).toBe('first\n── attempt of generation 2 ──\nsecond\n');
  });

  it('keeps the end of what is too long to be shown', () => {
    const output = new OutputText();
    output.add({ generation: 1, offset: 0, bytes: encode('x'.repeat(SHOWN_MAX)) });
    expect(output.isCut).toBe(false);
    output.add({ generation: 1, offset: SHOWN_MAX, bytes: encode('the end') });
    expect(output.isCut).toBe(true);
    expect(output.shown()).toHaveLength(SHOWN_MAX);
    expect(output.shown().endsWith('xthe end')).toBe(true);
    expect(output.bytes).toBe(SHOWN_MAX + 7);
  });
});

describe('text for a terminal', () => {
  it.each([
    ['colours', '\u001b[1;32mgreen\u001b[0m', 'green'],
    ['a title of the window', '\u001b]0;title\u0007text', 'text'],
    ['a link', '\u001b]8;;https://example.org\u001b\\name\u001b]8;;\u001b\\', 'name'],
    ['movements of the cursor', '\u001b[2K\u001b[1Gline', 'line'],
    ['lines as Windows ends them', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['progress that overwrites itself', '10 %\r50 %\r100 %\ndone\r\n', '100 %\ndone\n'],
    ['a bell and a null', 'a\u0007b\u0000c\u007f', 'a␇b␀c␡'],
    ['tabs and line ends', 'a\tb\n', 'a\tb\n'],
  ])('is shown without %s', (_, written, shown) => expect(readable(written)).toBe(shown));
});
