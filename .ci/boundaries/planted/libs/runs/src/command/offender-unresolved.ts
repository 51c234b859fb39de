import '#nowhere';
