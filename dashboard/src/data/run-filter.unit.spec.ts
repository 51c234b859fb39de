import { describe, expect, it } from '@jest/globals';
import { filterOf, hrefOfRuns, pathOfRuns } from './run-filter.js';

describe('the filter of the list of runs', () => {
  const filter = { status: 'failed', agent: 'echo', node: '', session: '', cursor: 'WzFd' };

  it('stands in the address of the page', () => {
    expect(hrefOfRuns(filter)).toBe('/runs?status=failed&agent=echo&cursor=WzFd');
    expect(filterOf('status=failed&agent=echo&cursor=WzFd')).toEqual(filter);
  });

  it('is empty for an address without one, and leaves none', () => {
    const none = { status: '', agent: '', node: '', session: '', cursor: '' };
    expect(filterOf('')).toEqual(none);
    expect(hrefOfRuns(none)).toBe('/runs');
  });

  it('takes what people type into an address as it is', () => {
    const typed = filterOf('agent=a%26b&status=%20&foreign=1');
    expect(typed).toMatchObject({ agent: 'a&b', status: ' ' });
    expect(hrefOfRuns(typed)).toBe('/runs?status=+&agent=a%26b');
  });

  it('becomes a question to the server', () =>
    expect(pathOfRuns({ status: 'queued,running' }, 200)).toBe(
      '/runs?limit=200&status=queued%2Crunning',
    ));
});
