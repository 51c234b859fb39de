import { Inject, Injectable } from '@nestjs/common';

class Store {
  readonly name = 'store';
}

@Injectable()
export class Submit {
  constructor(@Inject(Store) readonly store: Store) {}
}

/** Nobody builds this one but its caller. */
export class Plain {
  constructor(readonly store: Store) {}
}
