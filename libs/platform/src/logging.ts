import type { LoggerService } from '@nestjs/common';
import { destination, pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type { Logger };
export const LOGGER = Symbol('Logger');

/** What must never stand in a log: what people ask of agents, what agents answer, and what lets anybody in. */
const SECRET_FIELDS = ['prompt', 'output', 'data', 'body', 'token', 'authorization', 'password'];

/**
 * Structured logs, a JSON object a line, to standard output. Fields with secrets are removed wherever a log line holds
 * them, down to the third level.
 *
 * @param to where to write instead; for tests.
 */
export const createLogger = (
  about: { readonly service: string; readonly instance: string; readonly logLevel: LogLevel },
  to?: DestinationStream,
): Logger =>
  pino(
    {
      level: about.logLevel,
      base: { service: about.service, instance: about.instance },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: stdSerializers.err },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[removed]',
      },
    },
    // Synchronous: what a process says just before it dies must not stay in its memory.
    to ?? destination({ fd: 1, sync: true }),
  );

/** Nest's own messages, in the same log. What it says about its start is of interest to developers only. */
export const nestLogger = (logger: Logger): LoggerService => {
  const say =
    (level: 'error' | 'warn' | 'debug' | 'fatal') =>
    (message: unknown, ...context: unknown[]): void => {
      const [first] = context;
      logger[level](
        { context: context.filter((one) => typeof one === 'string').at(-1) },
        message instanceof Error ? message.message : String(message),
      );
      if (level === 'error' && typeof first === 'string') logger.debug({ stack: first }, 'stack');
    };
  return {
    log: say('debug'),
    error: say('error'),
    warn: say('warn'),
    debug: say('debug'),
    verbose: say('debug'),
    fatal: say('fatal'),
  };
};
