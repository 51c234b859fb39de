import '@nestjs/typeorm';
