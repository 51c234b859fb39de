import { Injectable } from '@nestjs/common';
import { CommandHandler } from '@nestjs/cqrs';

class Store {
  readonly name = 'store';
}

@Injectable()
export class Submit {
  constructor(readonly store: Store) {} // refused
}

@CommandHandler(Store)
export class SubmitHandler {
  constructor(private readonly store: Store) {} // refused

  execute() {
    return this.store.name;
  }
}
