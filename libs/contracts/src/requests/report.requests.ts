import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  Matches,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type { Receipts } from '#runs/contract';
import { REPORT_BOUNDS, type RunReport } from '../work.wire.js';
import { ClaimBody } from './node.requests.js';
import { Optional, TOKEN, Utf8Text, WholeNumber } from './text-rules.js';
import { validate, type Validated } from './validate.js';

/** The last moment that fits into a JavaScript date, ms. */
const INSTANT_MAX = 8_640_000_000_000_000;
/** POSIX: one byte. */
const EXIT_CODE_MAX = 255;

class ReceiptsBody implements Receipts {
  @Optional()
  @WholeNumber(0, INSTANT_MAX)
  readonly sent?: number;
  @Optional()
  @WholeNumber(0, INSTANT_MAX)
  readonly acked?: number;
  @Optional()
  @WholeNumber(0, INSTANT_MAX)
  readonly observed?: number;
  @Optional()
  @Utf8Text(REPORT_BOUNDS.referenceBytesMax)
  readonly thread?: string;
  @Optional()
  @Utf8Text(REPORT_BOUNDS.referenceBytesMax)
  readonly turn?: string;
}

class OutputBody {
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly bytes!: number;
  @Matches(/^[0-9a-f]{64}$/)
  readonly sha256!: string;
  @IsBoolean()
  readonly truncated!: boolean;
}

/** What is still alive: process ids, as text. */
const Remains = (): PropertyDecorator => (target, key) => {
  IsArray()(target, key);
  ArrayMaxSize(REPORT_BOUNDS.remainsMax)(target, key);
  Matches(/^[\x20-\x7e]{1,200}$/, { each: true })(target, key);
};

const HOWS = ['completed', 'failed', 'interrupted', 'lost', 'killed'] as const;
class EndBody {
  @IsIn(HOWS)
  readonly how!: (typeof HOWS)[number];
}
class CompletedBody extends EndBody {
  @WholeNumber(0, EXIT_CODE_MAX)
  readonly exitCode!: number;
}
class FailedBody extends EndBody {
  @Utf8Text(REPORT_BOUNDS.referenceBytesMax)
  readonly code!: string;
  @ValidateIf((_end, exitCode: unknown) => exitCode !== null)
  @WholeNumber(0, EXIT_CODE_MAX)
  readonly exitCode!: number | null;
}
class InterruptedBody extends EndBody {
  @Utf8Text(REPORT_BOUNDS.sentenceBytesMax)
  readonly reason!: string;
}
class LostBody extends InterruptedBody {
  @Optional()
  @Remains()
  readonly remains?: readonly string[];
}
class KilledBody extends EndBody {
  @IsIn(['stop', 'time-limit', 'shutdown'])
  readonly by!: 'stop' | 'time-limit' | 'shutdown';
  @Remains()
  readonly remains!: readonly string[];
}

class ReportBody extends ClaimBody {
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly journalSequence!: number;
  @IsIn(['not-started', 'receipts', 'running', 'ended'])
  readonly kind!: string;
}
class NotStartedReport extends ReportBody {
  @Matches(TOKEN)
  readonly disproves!: string;
  @Utf8Text(REPORT_BOUNDS.sentenceBytesMax)
  readonly proof!: string;
}
class ReceiptsReport extends ReportBody {
  @IsObject()
  @ValidateNested()
  @Type(() => ReceiptsBody)
  readonly receipts!: ReceiptsBody;
}
class RunningReport extends ReportBody {
  @Utf8Text(REPORT_BOUNDS.sentenceBytesMax)
  readonly evidence!: string;
}
class EndedReport extends ReportBody {
  @IsObject()
  @ValidateNested()
  @Type(() => EndBody, {
    keepDiscriminatorProperty: true,
    discriminator: {
      property: 'how',
      subTypes: [
        { name: 'completed', value: CompletedBody },
        { name: 'failed', value: FailedBody },
        { name: 'interrupted', value: InterruptedBody },
        { name: 'lost', value: LostBody },
        { name: 'killed', value: KilledBody },
      ],
    },
  })
  readonly end!: EndBody;
  @IsObject()
  @ValidateNested()
  @Type(() => OutputBody)
  readonly output!: OutputBody;
  @IsObject()
  @ValidateNested()
  @Type(() => ReceiptsBody)
  readonly receipts!: ReceiptsBody;
}

const REPORTS: Readonly<Record<RunReport['kind'], new () => ReportBody>> = {
  'not-started': NotStartedReport,
  receipts: ReceiptsReport,
  running: RunningReport,
  ended: EndedReport,
};

/** Checks a report; its `kind` chooses what else it must say. */
export const validateReport = (raw: unknown): Validated<RunReport> => {
  const kind = typeof raw === 'object' && raw !== null ? (raw as { kind?: unknown }).kind : null;
  const report =
    typeof kind === 'string' && Object.hasOwn(REPORTS, kind)
      ? REPORTS[kind as RunReport['kind']]
      : ReportBody;
  // What the class of that kind accepts is what the union member of that kind says.
  return validate(report, raw) as Validated<RunReport>;
};
