import 'typeorm';
import '#postgres';
