import { Matches, MaxLength, ValidateIf, IsString } from 'class-validator';
import { Optional, TOKEN } from './text-rules.js';

/** `hf.cmd.<slice>.advance`: take whatever steps this aggregate needs now. */
export class AdvanceRequest {
  @Matches(TOKEN)
  readonly workspace!: string;

  @Matches(TOKEN)
  readonly id!: string;

  /** What contradicts what the aggregate says, if whoever asks found something. */
  @Optional()
  @ValidateIf((_request, doubt: unknown) => doubt !== null)
  @IsString()
  @MaxLength(1_000)
  readonly doubt?: string | null;
}
