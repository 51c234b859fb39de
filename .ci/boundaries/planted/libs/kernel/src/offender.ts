import '#contracts';
