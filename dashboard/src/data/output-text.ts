/** A piece of a run's output, where it stands in its generation. */
export interface OutputPiece {
  readonly generation: number;
  /** In bytes from the start of this generation's output. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Characters that a page keeps: the end of a long output is what people look at. */
export const SHOWN_MAX = 200_000;

/** A run's output as text, put together from its pieces in order. Says where another attempt begins and where bytes are missing. */
export class OutputText {
  #text = '';
  #generation: number | undefined;
  #next = 0;
  #decoder = new TextDecoder();
  /** Bytes taken so far. */
  bytes = 0;
  /** Something before what {@link shown} shows was dropped. */
  isCut = false;

  add({ generation, offset, bytes }: OutputPiece): void {
    if (generation !== this.#generation) {
      if (this.#generation !== undefined) this.#note(`attempt of generation ${String(generation)}`);
      this.#generation = generation;
      this.#next = 0;
      this.#decoder = new TextDecoder();
    }
    if (offset > this.#next) this.#note(`${String(offset - this.#next)} bytes are missing here`);
    this.#next = offset + bytes.length;
    this.bytes += bytes.length;
    this.#append(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What a person reads, see {@link readable}. */
  shown(): string {
    return readable(this.#text);
  }

  #note(what: string): void {
    const newline = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#append(`${newline}── ${what} ──\n`);
  }

  #append(text: string): void {
    const whole = this.#text + text;
    if (whole.length > SHOWN_MAX) this.isCut = true;
    this.#text = whole.slice(-SHOWN_MAX);
  }
}

/** Colours, cursor movements and titles that programs write for a terminal. */
const TERMINAL_SEQUENCES =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
/** What a carriage return had written over. */
const OVERWRITTEN = /^[^\n]*\r(?=[^\n])/gm;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** Where Unicode has pictures of the control characters. */
const PICTURES_FROM = 0x2400;
const DELETE = '\u007f';
const PICTURE_OF_DELETE = '\u2421';

/** A program's output as a terminal would leave it on the screen, without colours; what is no text is shown as a picture. */
export const readable = (text: string): string =>
  text
    .replace(TERMINAL_SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .replace(OVERWRITTEN, '')
    .replace(CONTROLS, (control) =>
      control === DELETE
        ? PICTURE_OF_DELETE
        : String.fromCharCode(PICTURES_FROM + control.charCodeAt(0)),
    );
