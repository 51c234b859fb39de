import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Injectable, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload, type MicroserviceOptions } from '@nestjs/microservices';
import { of } from 'rxjs';
import { RuleViolation } from '#kernel';
import { natsServerUnderTest, waitUntil, type NatsServerUnderTest } from '#testing';
import { connectLink, type NatsLink } from './connection.js';
import { HoldfastNatsServer, NatsRequestContext, UnchangedErrors } from './nest-transport.js';
import { RequestClient } from './request-client.js';

const unexpected: [unknown, string][] = [];
const held: (() => void)[] = [];

@Injectable()
class Greeter {
  greet(name: string): string {
    return `hello ${name}`;
  }
}

@Controller()
class TestController {
  constructor(@Inject(Greeter) private readonly greeter: Greeter) {}

  @MessagePattern('t.greet')
  async greet(@Payload() data: { name: string }): Promise<object> {
    return { text: this.greeter.greet(data.name) };
  }

  @MessagePattern('t.claim.*.*')
  claim(@Payload() data: unknown, @Ctx() context: NatsRequestContext): object {
    const [, , workspace, node] = context.tokens;
    return { data, workspace, node, subject: context.subject, who: context.get('Authorization') };
  }

  @MessagePattern('t.nothing')
  nothing(): void {}

  @MessagePattern('t.stream')
  stream() {
    return of('first');
  }

  @MessagePattern('t.refuse')
  async refuse(): Promise<never> {
    throw new RuleViolation('t.refused', { because: 'rule' });
  }

  @MessagePattern('t.break')
  async break(): Promise<never> {
    throw new TypeError('a bug');
  }

  @MessagePattern('t.hold')
  async hold(): Promise<string> {
    await new Promise<void>((resolve) => held.push(resolve));
    return 'held';
  }
}

@Module({ controllers: [TestController], providers: [Greeter] })
class TestModule {}

let server: NatsServerUnderTest;
let link: NatsLink;
let asking: NatsLink;
let app: INestMicroservice;
beforeAll(async () => {
  server = await natsServerUnderTest();
  link = await connectLink({ url: server.url, name: 'service' });
  asking = await connectLink({ url: server.url, name: 'client' });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest takes a literal
  app = await NestFactory.createMicroservice<MicroserviceOptions>(TestModule, {
    logger: false,
    strategy: new HoldfastNatsServer({
      link,
      service: 'tests',
      toProblem: (error) =>
        error instanceof RuleViolation
          ? { code: error.code, message: error.message, retryable: false, details: error.details }
          : undefined,
      onUnexpected: (error, subject) => unexpected.push([error, subject]),
    }),
  });
  app.useGlobalFilters(new UnchangedErrors());
  await app.listen();
}, 120_000);
afterAll(async () => {
  await app?.close();
  await asking?.close();
  await link?.close();
  await server?.stop();
});

const ask = async (subject: string, body: unknown, headers: Record<string, string> = {}) =>
  new RequestClient(asking).request(subject, body, { headers, timeoutMs: 5_000 });

describe('message handlers of Nest over request and reply', () => {
  it('get the data, with their dependencies injected', async () => {
    expect(await ask('t.greet', { name: 'ada' })).toStrictEqual({
      kind: 'answer',
      value: { text: 'hello ada' },
    });
  });

  it('may have wildcards, and learn what stood there', async () => {
    const answer = await ask('t.claim.main.n-1', [1], { authorization: 'Bearer t' });
    expect(answer).toStrictEqual({
      kind: 'answer',
      value: {
        data: [1],
        workspace: 'main',
        node: 'n-1',
        subject: 't.claim.main.n-1',
        who: 'Bearer t',
      },
    });
  });

  it('answer null for nothing, and the first value of a stream', async () => {
    expect(await ask('t.nothing', {})).toStrictEqual({ kind: 'answer', value: null });
    expect(await ask('t.stream', {})).toStrictEqual({ kind: 'answer', value: 'first' });
  });

  it('refuse in the words of the rule', async () => {
    expect(await ask('t.refuse', {})).toStrictEqual({
      kind: 'refused',
      error: {
        code: 't.refused',
        message: 't.refused',
        retryable: false,
        details: { because: 'rule' },
      },
    });
  });

  it('that break are answered `internal`, and reported with their error', async () => {
    const answer = await ask('t.break', {});
    expect(answer).toMatchObject({ kind: 'refused', error: { code: 'internal' } });
    expect(unexpected).toStrictEqual([[expect.any(TypeError), 't.break']]);
  });

  it('finish before the application has closed', async () => {
    const inFlight = ask('t.hold', {});
    await waitUntil('it is being handled', () => held.length === 1);
    const closing = app.close();
    await waitUntil(
      'nothing new is taken',
      async () => (await ask('t.nothing', {})).kind === 'not-delivered',
    );
    held[0]!();
    await closing;
    expect(await inFlight).toStrictEqual({ kind: 'answer', value: 'held' });
  });
});
