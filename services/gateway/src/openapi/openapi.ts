import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ProblemSchema } from './answers.schema.js';
import { EXTRA_SCHEMAS } from './readiness.schema.js';

/** The description of the API, made once from the same classes that requests are checked with. */
export class OpenApi {
  private made: OpenAPIObject | undefined;

  get document(): OpenAPIObject {
    if (this.made === undefined) throw new Error('bug: the API is not described yet');
    return this.made;
  }

  describe(app: INestApplication): void {
    const about = new DocumentBuilder()
      .setTitle('Holdfast')
      .setDescription(DESCRIPTION)
      .setVersion('1')
      .addBearerAuth({ type: 'http', scheme: 'bearer' })
      .build();
    this.made = SwaggerModule.createDocument(app, about, {
      extraModels: [ProblemSchema, ...EXTRA_SCHEMAS],
      operationIdFactory: (_controller, method) => method,
    });
  }
}

const DESCRIPTION = `A crash-safe control plane. What is accepted (2xx) is durable. Errors are
\`application/problem+json\` with a stable \`code\`; where \`retryable\` is true, the same request with the same
Idempotency-Key is safe. Times are RFC 3339 with milliseconds.`;
