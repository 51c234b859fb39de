import { describe, it, expect } from '@jest/globals';
import { withSuite } from './apt-download.js';

const stanza = `Types: deb
URIs: mirror+file:/etc/apt/mirrors
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`;

describe("the machine's own package source, for another release", () => {
  it('changes the release and nothing else', () =>
    expect(withSuite({ kind: 'sources', text: stanza }, 'trixie')).toBe(
      stanza.replace('bookworm bookworm-updates', 'trixie'),
    ));

  it('is the same in the older format, with options and without', () => {
    const list = (text: string) => withSuite({ kind: 'list', text }, 'trixie');
    expect(list('deb mirror://a/debian bookworm main\n')).toBe(
      'deb mirror://a/debian trixie main\n',
    );
    expect(list('deb [signed-by=/k arch=amd64] mirror://a/ bookworm main contrib\n')).toBe(
      'deb [signed-by=/k arch=amd64] mirror://a/ trixie main contrib\n',
    );
  });

  it('stays as it is for the own release', () =>
    expect(withSuite({ kind: 'sources', text: stanza }, undefined)).toBe(stanza));
});
