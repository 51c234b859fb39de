import { describe, expect, it } from '@jest/globals';
import { KeyedAdvances, type Saw } from './index.js';

/** An advance that the test lets go on when it wants to. */
const gated = () => {
  const begun: { readonly key: string; readonly demand: string; readonly saw: Saw }[] = [];
  const gates: (() => void)[] = [];
  const advances = new KeyedAdvances<string, string>(
    async (key, demand, saw) => {
      const turn = begun.push({ key, demand, saw });
      await new Promise<void>((resolve) => gates.push(resolve));
      return `${demand} (${String(turn)})`;
    },
    (one, other) => `${one}+${other}`,
  );
  return { advances, begun, gates };
};

/** Lets every promise go on that can. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('advances of one aggregate', () => {
  it('never overlap, and those that come meanwhile share the next one', async () => {
    const { advances, begun, gates } = gated();
    const first = advances.advance('a', 'x', 1);
    const second = advances.advance('a', 'y', 2);
    const third = advances.advance('a', 'z', 3);
    await settle();
    expect(begun.map(({ demand }) => demand)).toEqual(['x']);
    gates[0]!();
    await settle();
    expect(begun.map(({ demand }) => demand)).toEqual(['x', 'y+z']);
    gates[1]!();
    expect(await Promise.all([first, second, third])).toEqual(['x (1)', 'y+z (2)', 'y+z (2)']);
    expect(advances.size).toBe(0);
  });

  it('cover what they have seen, and only that', async () => {
    const { advances, begun, gates } = gated();
    const first = advances.advance('a', 'x', 1);
    await settle();
    begun[0]!.saw(5);
    const own = advances.advance('a', 'own event', 5);
    const others = advances.advance('a', 'another event', 6);
    gates[0]!();
    await settle();
    gates[1]!();
    expect(await Promise.all([first, own, others])).toEqual([
      'x (1)',
      'x (1)',
      'another event (2)',
    ]);
  });

  it('cover what they see after it has come: an own event is often faster than its acknowledgement', async () => {
    const { advances, begun, gates } = gated();
    const first = advances.advance('a', 'x', 1);
    await settle();
    const own = advances.advance('a', 'own event', 5);
    begun[0]!.saw(5);
    gates[0]!();
    expect(await Promise.all([first, own])).toEqual(['x (1)', 'x (1)']);
    expect(advances.size).toBe(0);
  });

  it('cover nothing of it that somebody else adds before they end', async () => {
    const { advances, begun, gates } = gated();
    const first = advances.advance('a', 'x', 1);
    await settle();
    const own = advances.advance('a', 'own event', 5);
    const others = advances.advance('a', 'another event', 6);
    begun[0]!.saw(5);
    gates[0]!();
    await settle();
    gates[1]!();
    expect(await Promise.all([first, own, others])).toEqual([
      'x (1)',
      'own event+another event (2)',
      'own event+another event (2)',
    ]);
  });

  it('skip nothing once they are over: an own event may be the only wake-up', async () => {
    const { advances, begun, gates } = gated();
    const first = advances.advance('a', 'x', 1);
    await settle();
    begun[0]!.saw(5);
    gates[0]!();
    await first;
    const again = advances.advance('a', 'own event', 5);
    await settle();
    gates[1]!();
    expect(await again).toBe('own event (2)');
  });

  it('fail for those that they cover, and not for those that follow', async () => {
    let turn = 0;
    const advances = new KeyedAdvances<null, string>(
      async () => {
        turn += 1;
        if (turn === 1) throw new Error('no broker');
        return 'done';
      },
      () => null,
    );
    const first = advances.advance('a', null, 1);
    const second = advances.advance('a', null, 2);
    await expect(first).rejects.toThrow('no broker');
    expect(await second).toBe('done');
  });

  it('cover nothing when they fail, whatever they have seen', async () => {
    let turn = 0;
    const advances = new KeyedAdvances<null, string>(
      async (_key, _demand, saw) => {
        turn += 1;
        await settle();
        saw(5);
        if (turn === 1) throw new Error('no broker');
        return 'done';
      },
      () => null,
    );
    const first = advances.advance('a', null, 1);
    const own = advances.advance('a', null, 5);
    await expect(first).rejects.toThrow('no broker');
    expect(await own).toBe('done');
  });
});

describe('advances of different aggregates', () => {
  it('do not wait for each other', async () => {
    const { advances, begun, gates } = gated();
    void advances.advance('a', 'x', 1);
    const other = advances.advance('b', 'y', 1);
    await settle();
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    gates[1]!();
    expect(await other).toBe('y (2)');
  });
});
