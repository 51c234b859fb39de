import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsObject, Length, Matches, ValidateNested } from 'class-validator';
import { ROLES, type Role } from '#access/contract';
import { STOP_TARGET_KINDS, type StopTargetKind } from '#stops/contract';
import { OptionalProperty, PRINCIPAL, TOKEN, UUID, Utf8Text } from './text-rules.js';

/** The most that a prompt may have, bytes of UTF-8. Source: the protocol's bounds. */
export const PROMPT_BYTES_MAX = 256 * 1024;
/** The most for an agent that takes its prompt as an argument: the kernel's limit of one argument, bytes. */
export const ARGUMENT_PROMPT_BYTES_MAX = 128 * 1024 - 1;

/** `POST /v1/submissions`, `hf.cmd.runs.submit`: run this prompt once on this agent. */
export class SubmissionRequest {
  @ApiProperty({ example: 'echo', pattern: TOKEN.source, description: 'The name of the agent.' })
  @Matches(TOKEN)
  readonly agent!: string;

  @ApiProperty({
    example: 'Hello',
    minLength: 1,
    description: 'At most 256 KiB in UTF-8 (128 KiB where the agent takes it as an argument).',
  })
  @Utf8Text(PROMPT_BYTES_MAX)
  readonly prompt!: string;

  @OptionalProperty({
    format: 'uuid',
    description: 'The session to queue in; a new one is opened when left out.',
  })
  @Matches(UUID, { message: 'session must be a UUID in lower case' })
  readonly session?: string;
}

export class StopTargetBody {
  @ApiProperty({ enum: STOP_TARGET_KINDS })
  @IsIn(STOP_TARGET_KINDS)
  readonly kind!: StopTargetKind;

  @ApiProperty({ format: 'uuid' })
  @Matches(UUID, { message: 'id must be a UUID in lower case' })
  readonly id!: string;
}

/** `POST /v1/stops`, `hf.cmd.stops.request`: end the target, and say what was proven to have stopped. */
export class StopRequestBody {
  @ApiProperty({ type: () => StopTargetBody })
  @IsObject()
  @ValidateNested()
  @Type(() => StopTargetBody)
  readonly target!: StopTargetBody;

  @ApiProperty({ minLength: 1, maxLength: 1000 })
  @Utf8Text(4000)
  @Length(1, 1000)
  readonly reason!: string;
}

/** `POST /v1/runs/{id}/resolution`: an operator says how an unknown outcome counts. */
export class ResolutionRequest {
  @ApiProperty({ enum: ['completed', 'failed', 'abandoned'] })
  @IsIn(['completed', 'failed', 'abandoned'])
  readonly as!: 'completed' | 'failed' | 'abandoned';

  @ApiProperty({ minLength: 1, maxLength: 2000, description: 'Why: shown with the run for ever.' })
  @Utf8Text(8000)
  @Length(1, 2000)
  readonly note!: string;
}

/** `hf.cmd.runs.resolve`: the resolution with the run that stands in the path over HTTP. */
export class ResolveRunRequest extends ResolutionRequest {
  @ApiProperty({ format: 'uuid' })
  @Matches(UUID, { message: 'runId must be a UUID in lower case' })
  readonly runId!: string;
}

/** `hf.cmd.access.issue-token`: a new bearer token for a principal. */
export class TokenRequest {
  @ApiProperty({ example: 'user:ada', pattern: PRINCIPAL.source })
  @Matches(PRINCIPAL)
  readonly principal!: string;

  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  readonly role!: Role;

  @OptionalProperty({
    pattern: TOKEN.source,
    description: 'The workspace that it is for; the caller’s own when left out.',
  })
  @Matches(/^(?!_)[A-Za-z0-9_-]{1,64}$/)
  readonly workspace?: string;
}

/** `hf.cmd.access.revoke-token`: the token with this hash may no longer be used. */
export class RevokeTokenRequest {
  @ApiProperty({ description: 'SHA-256 of the token, hex, as the answer to its issue says.' })
  @Matches(/^[0-9a-f]{64}$/)
  readonly tokenHash!: string;
}
